const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const domain = /^(?:[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/
const tagFormat = /^\w[\w.-]{0,127}$/
const digestFormat = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/
const maxPathLength = 255

/** The tag of an image reference; "latest" when it has neither tag nor digest, "" when only a digest or when it is no reference at all. */
export function imageTag(image: string): string {
  const at = image.indexOf('@')
  const digest = at < 0 ? undefined : image.slice(at + 1)
  const [name, tag] = splitTag(at < 0 ? image : image.slice(0, at))
  if (!isRepository(name) || (tag !== undefined && !tagFormat.test(tag))) return ''
  if (digest !== undefined && !digestFormat.test(digest)) return ''
  return tag ?? (digest === undefined ? 'latest' : '')
}

function splitTag(named: string): readonly [name: string, tag: string | undefined] {
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  return colon < 0 ? [named, undefined] : [named.slice(0, colon), named.slice(colon + 1)]
}

/** A path of lower-case components, after a registry's host if the first looks like one. */
function isRepository(name: string): boolean {
  // An image's id is no name.
  if (/^[a-f0-9]{64}$/.test(name)) return false
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()
  const path = isHost ? name.slice(slash + 1) : name.includes('/') ? name : `library/${name}`
  if (isHost && !domain.test(first)) return false
  return path.length <= maxPathLength && path.split('/').every((part) => component.test(part))
}
