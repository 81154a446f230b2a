import type { PersistentVolumeClaimSpec, Volume, VolumeSource } from '@keelson/api/core/v1'
import { appendAll, parseQuantity, quote } from '@keelson/apimachinery'
import type { DeepReadonly, FieldPath } from '@keelson/apimachinery'
import { isFractional } from './resource-quantities.ts'

/** Volume sources that no longer work, in the order of their warnings. `ephemeral` marks the position of warnings about its claim. */
const sources: readonly (readonly [member: keyof VolumeSource, message: string, named?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]

export function findVolumeWarnings(volume: DeepReadonly<Volume>, path: FieldPath): string[] {
  const warnings: string[] = []
  for (const [member, message, named = member] of sources) {
    if (volume[member] === undefined) continue
    const template = member === 'ephemeral' ? volume.ephemeral?.volumeClaimTemplate : undefined
    if (template !== undefined)
      appendAll(warnings, findClaimSpecWarnings(template.spec, path.child('ephemeral', 'volumeClaimTemplate', 'spec')))
    else if (member !== 'ephemeral') warnings.push(`${path.child(named)}: ${message}`)
  }
  return warnings
}

export function findClaimSpecWarnings(spec: DeepReadonly<PersistentVolumeClaimSpec>, path: FieldPath): string[] {
  return (['requests', 'limits'] as const).flatMap((member) => {
    const storage = spec.resources?.[member]?.['storage']
    if (storage === undefined || !isFractional(parseQuantity(storage))) return []
    const at = path.child('resources', member).key('storage')
    return [`${at}: fractional byte value ${quote(storage)} is invalid, must be an integer`]
  })
}
