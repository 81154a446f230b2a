import type { Container, LimitRange, Pod } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

type ResourceList = Record<string, string>

/** Sets missing requests and limits of containers. Records these changes in an annotation of the pod. */
export function setContainerDefaults(range: DeepReadonly<LimitRange>, pod: Pod): void {
  const requests: ResourceList = {}
  const limits: ResourceList = {}
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue
    Object.assign(requests, item.defaultRequest)
    Object.assign(limits, item.default)
  }
  const set = (containers: readonly Container[] | null | undefined, subject: string): string[] =>
    (containers ?? []).flatMap((container) => {
      const resources = (container.resources ??= {})
      const limited = fill(limits, resources.limits ?? {})
      const requested = fill(requests, resources.requests ?? {})
      if (limited.names.length > 0) resources.limits = limited.list
      if (requested.names.length > 0) resources.requests = requested.list
      return [
        note(requested.names, `request for ${subject} ${container.name}`),
        note(limited.names, `limit for ${subject} ${container.name}`),
      ].flat()
    })
  const notes = [...set(pod.spec?.containers, 'container'), ...set(pod.spec?.initContainers, 'init container')]
  if (notes.length > 0) {
    ;(pod.metadata.annotations ??= {})['kubernetes.io/limit-ranger'] = `LimitRanger plugin set: ${notes.join('; ')}`
  }
}

function fill(defaults: ResourceList, list: ResourceList): { readonly names: readonly string[]; readonly list: ResourceList } {
  const names = Object.keys(defaults).filter((name) => !Object.hasOwn(list, name))
  for (const name of names) list[name] = defaults[name]!
  return { names, list }
}

function note(names: readonly string[], of: string): string[] {
  return names.length === 0 ? [] : [`${names.toSorted().join(', ')} ${of}`]
}
