import type { AppArmorProfile } from '@keelson/api/core/v1'

/** Converts the value of a deprecated AppArmor annotation to an AppArmor profile. Returns undefined for unknown values. */
export function parseAppArmorAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const name = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : ''
  return name === '' ? undefined : { type: 'Localhost', localhostProfile: name }
}
