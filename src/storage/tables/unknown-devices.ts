// Devices that called and are no account's, for the operator to see. Anyone can call, so the table is bounded.
import { quick, write } from '../operation.ts';

export interface UnknownDevice {
  imei: string;
  protocol: string;
  address: string;
  first_time: number;
  last_time: number;
  count: number;
}

const MOST = 10_000;

export const unknownDevices = {
  list: quick((sql) =>
    sql.all<UnknownDevice>(
      'select imei, protocol, address, first_time, last_time, count from unknown_devices order by last_time desc, imei',
    ),
  ),

  /** Adds what was seen since the last call; beyond 10,000 devices those not seen for longest are forgotten. */
  note: write(async (sql, seen: Omit<UnknownDevice, 'first_time'>[]) => {
    for (const { imei, protocol, address, last_time, count } of seen)
      await sql.run(
        `insert into unknown_devices (imei, protocol, address, first_time, last_time, count) values ($1, $2, $3, $4, $4, $5)
         on conflict (imei) do update set protocol = excluded.protocol, address = excluded.address, last_time = excluded.last_time,
         count = unknown_devices.count + excluded.count`,
        imei,
        protocol,
        address,
        last_time,
        count,
      );
    await sql.run(
      `delete from unknown_devices where imei in (select imei from unknown_devices order by last_time desc, imei limit 1000000 offset ${MOST})`,
    );
  }),
};
