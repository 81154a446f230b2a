export function tooShort(): Error {
  return new Error('the stored data was shorter than the required size')
}
