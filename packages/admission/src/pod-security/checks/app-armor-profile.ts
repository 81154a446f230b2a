import { quote } from '@keelson/apimachinery'
import type { Check, CheckPod } from '../check.ts'
import { formatPlural, quoteItems, formatViolators, sortItems } from '../phrases.ts'

const annotationPrefix = 'container.apparmor.security.beta.kubernetes.io/'

function isBad(type: string | undefined): boolean {
  return type !== 'RuntimeDefault' && type !== 'Localhost'
}

const check: CheckPod = ({ annotations, spec, containers }) => {
  const ofPod = spec.securityContext?.appArmorProfile
  const badPod = ofPod !== undefined && isBad(ofPod.type)
  const badContainers = containers.filter(({ securityContext }) => {
    const profile = securityContext?.appArmorProfile
    return profile !== undefined && isBad(profile.type)
  })
  const badAnnotations = Object.entries(annotations)
    .filter(
      ([key, value]) => key.startsWith(annotationPrefix) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
    )
    .map(([key, value]) => `${key}=${quote(value)}`)
    .toSorted()
  const annotated = badAnnotations.length > 0 ? formatPlural(badAnnotations.length, 'annotation') : ''
  const violators = [formatViolators(badPod, badContainers), annotated].filter((text) => text !== '').join(' and ')
  if (violators === '') return undefined
  const types = [...(badPod ? [ofPod.type] : []), ...badContainers.map(({ securityContext }) => securityContext!.appArmorProfile!.type)]
  const values = [...sortItems(types), ...badAnnotations]
  return {
    reason: formatPlural(values.length, 'forbidden AppArmor profile'),
    detail: `${violators} must not set AppArmor profile type to ${quoteItems(values)}`,
  }
}

export const appArmorProfile: Check = { id: 'appArmorProfile', level: 'baseline', versions: [{ from: 0, check }] }
