/** The metadata members that kube-apiserver writes before `resourceVersion`. */
const before: ReadonlySet<string> = new Set(['name', 'generateName', 'namespace', 'selfLink', 'uid'])

/**
 * The position for `,"resourceVersion":"…"` in the JSON text of an object: after the last of the leading metadata members that come before it.
 * `text` is compact JSON without kind and apiVersion; metadata must have at least one such member, the name.
 */
export function findSplice(text: string): number {
  let at = metadataStart(text)
  let splice = -1
  while (text.charCodeAt(at) === quote) {
    const keyEnd = skipString(text, at)
    if (!before.has(text.slice(at + 1, keyEnd - 1))) break
    splice = at = skipValue(text, keyEnd + 1)
    if (text.charCodeAt(at) !== comma) break
    at++
  }
  if (splice < 0) throw new Error('the metadata of a stored object must start with its name')
  return splice
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** The position after the "{" of the top-level metadata. */
function metadataStart(text: string): number {
  const first = '{"metadata":{'
  if (text.startsWith(first)) return first.length
  let at = 1
  while (text.charCodeAt(at) === quote) {
    const keyEnd = skipString(text, at)
    if (text.startsWith('"metadata":{', at)) return keyEnd + 2
    at = skipValue(text, keyEnd + 1) + 1
  }
  throw new Error('a stored object must have metadata')
}

function skipString(text: string, at: number): number {
  for (let i = at + 1; ;) {
    const end = text.indexOf('"', i)
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end + 1
    i = end + 1
  }
}

function skipValue(text: string, at: number): number {
  const opening = text.charCodeAt(at)
  if (opening === quote) return skipString(text, at)
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === quote) i = skipString(text, i) - 1
    else if (c === 0x7b || c === 0x5b) depth++
    else if (c === 0x7d || c === 0x5d) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (c === comma && depth === 0) return i
  }
  return text.length
}
