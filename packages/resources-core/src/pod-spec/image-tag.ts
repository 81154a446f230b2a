const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const domain = /^(?:[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*(?:\.[a-zA-Z0-9]+(?:-+[a-zA-Z0-9]+)*)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/
const tagFormat = /^\w[\w.-]{0,127}$/
const digestFormat = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/
const maxPathLength = 255

/**
 * Returns the tag of an image reference. Returns "latest" if the reference has neither a tag nor a digest. Returns "" if it has only a
 * digest or is invalid.
 */
export function parseImageTag(image: string): string {
  const at = image.indexOf('@')
  const digest = at < 0 ? undefined : image.slice(at + 1)
  const [name, tag] = splitTag(at < 0 ? image : image.slice(0, at))
  if (!isRepository(name) || (tag !== undefined && !tagFormat.test(tag))) return ''
  if (digest !== undefined && !digestFormat.test(digest)) return ''
  return tag ?? (digest === undefined ? 'latest' : '')
}

function splitTag(reference: string): readonly [name: string, tag: string | undefined] {
  const colon = reference.indexOf(':', reference.lastIndexOf('/') + 1)
  return colon < 0 ? [reference, undefined] : [reference.slice(0, colon), reference.slice(colon + 1)]
}

/** Returns whether a name is a valid image repository: lower-case path components, with an optional registry host in front. */
function isRepository(name: string): boolean {
  // An image ID is not a repository name.
  if (/^[a-f0-9]{64}$/.test(name)) return false
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()
  const path = isHost ? name.slice(slash + 1) : name.includes('/') ? name : `library/${name}`
  if (isHost && !domain.test(first)) return false
  return path.length <= maxPathLength && path.split('/').every((part) => component.test(part))
}
