/** Returns the error of a file that cannot be opened, in the words of Go: "open FILE: no such file or directory". */
export function formatOpenError(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = { ENOENT: 'no such file or directory', EACCES: 'permission denied', EISDIR: 'is a directory' }[code ?? ''] ?? message
  return `open ${file}: ${reason}`
}
