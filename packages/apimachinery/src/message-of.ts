/** The message of an error, or the text of a thrown value that is none. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
