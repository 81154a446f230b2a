const emptied = new WeakMap<object, Set<string>>()

/** A decoded object says nothing of a map that was sent empty: absent and empty are stored alike. Errors still tell them apart. */
export function rememberEmptyMap(owner: object, member: string): void {
  const members = emptied.get(owner)
  if (members === undefined) emptied.set(owner, new Set([member]))
  else members.add(member)
}

/** Whether `owner`, as it was decoded and not a copy, was sent with `{}` for this member. */
export function wasSentEmpty(owner: object, member: string): boolean {
  return emptied.get(owner)?.has(member) ?? false
}
