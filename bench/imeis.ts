// The devices of the benchmarks.
import { checkDigit } from '../src/basics/imei.ts';

/** So many distinct IMEIs with right check digits. Their type allocation code is of the range for test equipment (GSMA TS.06, 00). */
export function benchImeis(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const digits = `00100200${String(i).padStart(6, '0')}`;
    return `${digits}${checkDigit(digits)}`;
  });
}
