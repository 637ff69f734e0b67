// Text made safe for XML and HTML. Most text needs nothing done to it, and a cheap test finds that out.

// oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
const XML_SPECIAL = /[&<>"\r\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\uD800-\uDFFF]/;
// oxlint-disable-next-line no-control-regex -- as above
const XML_UNCARRIABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/**
 * For XML text and attributes in double quotes. A carriage return is written as a reference, or readers would take it for a line feed
 * (XML 1.0, section 2.11). What XML cannot carry (production 2) becomes U+FFFD: no stored text holds any, a failure's sentence may.
 */
export function escapeXml(text: string): string {
  if (!XML_SPECIAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(XML_UNCARRIABLE, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}

const HTML_SPECIAL = /[&<>"']/;

/** For HTML text and attributes in either sort of quotes. */
export function escapeHtml(text: string): string {
  if (!HTML_SPECIAL.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
