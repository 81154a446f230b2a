import type { Pod } from '@keelson/api/core/v1'
import { fieldPath, semanticEqual } from '@keelson/apimachinery'
import { appArmorContainerPrefix } from '../pod-spec/annotation-keys.ts'
import { parseAppArmorAnnotation } from '../pod-spec/app-armor-annotation.ts'
import { validateAppArmorProfile } from '../pod-spec/validate-profiles.ts'
import { listMutableContainers } from '../pod-spec/visit-containers.ts'

/** Copies the deprecated AppArmor annotations to the profile field. Mutates the pod. */
export function applyAppArmorAnnotations(pod: Pod, warn: (text: string) => void): void {
  const { spec } = pod
  const { annotations = {} } = pod.metadata
  if (spec === undefined || spec.os?.name === 'windows') return
  for (const container of listMutableContainers(spec)) {
    const key = appArmorContainerPrefix + container.name
    const annotation = annotations[key]
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) continue
    const profile = parseAppArmorAnnotation(annotation)
    const isUsable = profile !== undefined && validateAppArmorProfile({ appArmorProfile: profile }, fieldPath()).length === 0
    if (isUsable) {
      if (semanticEqual(profile, spec.securityContext?.appArmorProfile)) continue
      container.securityContext = { ...container.securityContext, appArmorProfile: profile }
    }
    warn(`${fieldPath('metadata', 'annotations').key(key)}: deprecated since v1.30; use the "appArmorProfile" field instead`)
  }
}
