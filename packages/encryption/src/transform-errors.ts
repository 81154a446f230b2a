export function newTooShortError(): Error {
  return new Error('the stored data was shorter than the required size')
}
