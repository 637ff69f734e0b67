// The identity of a mobile device: 15 digits, the last a Luhn check digit (3GPP TS 23.003, section 6.2 and annex B).

/** True for 15 digits whose last is the right check digit. */
export function isImei(text: string): boolean {
  return /^\d{15}$/.test(text) && checkDigit(text.slice(0, 14)) === Number(text[14]);
}

/** The Luhn check digit of 14 digits. */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const doubled = Number(digits[i]) * (i % 2 === 0 ? 1 : 2);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return (10 - (sum % 10)) % 10;
}
