const maxManagerLength = 128

/** Derives the default field manager from a user agent: "kubectl/v1.36.4 (linux/amd64)" → "kubectl". */
export function managerFromUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  let name = ''
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue
    if (Buffer.byteLength(name + character) > maxManagerLength) break
    name += character
  }
  return name
}
