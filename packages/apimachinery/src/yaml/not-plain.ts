/** Thrown when text is outside the plain reader's subset. */
export const notPlain: Error = new Error('not plain')
