export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** The event of a change for a watch whose selector matched the object before it (`before`) and matches it after (`now`). Undefined: the watch sees none. */
export function eventType(before: boolean, now: boolean): ObjectEventType | undefined {
  if (now) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}
