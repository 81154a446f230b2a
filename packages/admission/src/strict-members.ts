/** Returns the members of a configuration object. Throws an error that lists the paths of unknown members. */
export function readStrictMembers(value: unknown, path: string, knownNames: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${path || 'the configuration'} must be an object`)
  const unknown = Object.keys(value).filter((name) => !knownNames.includes(name))
  if (unknown.length > 0) {
    const names = unknown.map((name) => `unknown field ${JSON.stringify(path === '' ? name : `${path}.${name}`)}`)
    throw new Error(`strict decoding error: ${names.join(', ')}`)
  }
  return value as Readonly<Record<string, unknown>>
}

/** Returns a member that must be a string. Returns "" if it is absent. */
export function readStringMember(members: Readonly<Record<string, unknown>>, name: string, path: string): string {
  const value = members[name] ?? ''
  if (typeof value !== 'string') throw new Error(`${path === '' ? name : `${path}.${name}`} must be a string`)
  return value
}

export function readStringList(members: Readonly<Record<string, unknown>>, name: string, path: string): readonly string[] {
  const value = members[name] ?? []
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) throw new Error(`${path}.${name} must be a list of strings`)
  return value as readonly string[]
}
