/** Programs stamp what they print; code, rules and lists of changes hold no times of a day. */
export const TIME_OF_DAY = /(?<!\d)[0-2]\d:[0-5]\d:[0-5]\d(?!\d)/;
