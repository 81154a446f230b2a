/** Thrown for text that the plain reader does not support. */
export const notPlain: Error = new Error('not plain')
