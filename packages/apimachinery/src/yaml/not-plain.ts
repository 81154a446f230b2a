/** Thrown where text is not of the kind that the plain reader reads. */
export const notPlain: Error = new Error('not plain')
