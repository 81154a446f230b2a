/** Sets a member of an object. Never changes the prototype, even for the key "__proto__". */
export function setOwn(object: { [key: string]: unknown }, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
