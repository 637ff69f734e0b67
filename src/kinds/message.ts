// What a message is about: the facts as they stood when the event was found. How they are put into words for each type of
// target is the business of notify.

export interface Message {
  imei: string;
  /** Of the tracker. */
  name: string;
  /** The type of the event; null in a test message. */
  event_id: number | null;
  /** When it happened, ms. */
  time: number;
  latitude: number | null;
  longitude: number | null;
  zone_name: string | null;
  cross_type: 'entry' | 'exit' | null;
  /** Overspeed: the speed, km/h. Battery low: %. */
  value: number | null;
  /** It was found so long after it happened that a person should know. */
  late: boolean;
}
