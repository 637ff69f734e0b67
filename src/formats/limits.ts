// What every kind of input is held to. The size of the body is the server's to limit.

/** Objects and lists within each other. */
export const MAX_DEPTH = 32;

/** XML elements in a body: 10,000 positions with every property fit. */
export const MAX_ELEMENTS = 200_000;

/** Attributes of an XML element, of which only `type` means something. */
export const MAX_ATTRIBUTES = 32;

/** Characters of an attribute's value. */
export const MAX_ATTRIBUTE_LENGTH = 2000;

/** Pairs in a form. */
export const MAX_PAIRS = 1000;
