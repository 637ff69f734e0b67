// Parameters of an address or of an application/x-www-form-urlencoded body (URL Standard, section 5.1).

const MAX_PAIRS = 256;

/** The first value of each name; null when there are more than 256 pairs. */
export function readForm(text: string): Map<string, string> | null {
  let pairs = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) pairs++;
  if (pairs > MAX_PAIRS) return null;
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) if (!values.has(name)) values.set(name, value);
  return values;
}
