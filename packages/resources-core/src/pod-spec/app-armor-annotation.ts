import type { AppArmorProfile } from '@keelson/api/core/v1'

/** What an annotation of old says, as the field that took its place. Undefined when it says nothing useful. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const name = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : ''
  return name === '' ? undefined : { type: 'Localhost', localhostProfile: name }
}
