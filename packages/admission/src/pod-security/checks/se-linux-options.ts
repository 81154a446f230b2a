import type { SELinuxOptions } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Check, CheckPod } from '../check.ts'
import { formatPlural, quoteItems, formatViolators, sortItems } from '../phrases.ts'

type Options = DeepReadonly<SELinuxOptions> | undefined

function checkWith(types: readonly string[]): CheckPod {
  const allowed: ReadonlySet<string> = new Set(['', ...types])
  const isBadType = (options: Options): boolean => !allowed.has(options?.type ?? '')
  const isBad = (options: Options): boolean => isBadType(options) || !!options?.user || !!options?.role
  return ({ spec, containers }) => {
    const badPod = isBad(spec.securityContext?.seLinuxOptions)
    const badContainers = containers.filter(({ securityContext }) => isBad(securityContext?.seLinuxOptions))
    const violators = formatViolators(badPod, badContainers)
    if (violators === '') return undefined
    const allOptions = [
      spec.securityContext?.seLinuxOptions,
      ...badContainers.map(({ securityContext }) => securityContext?.seLinuxOptions),
    ]
    const badTypes = sortItems(allOptions.filter(isBadType).map((options) => options!.type!))
    const what = [
      ...(badTypes.length > 0 ? [`${formatPlural(badTypes.length, 'type')} ${quoteItems(badTypes)}`] : []),
      ...(allOptions.some((options) => options?.user) ? ['user may not be set'] : []),
      ...(allOptions.some((options) => options?.role) ? ['role may not be set'] : []),
    ]
    return { reason: 'seLinuxOptions', detail: `${violators} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}` }
  }
}

const ordinary = ['container_t', 'container_init_t', 'container_kvm_t']

export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { from: 0, check: checkWith(ordinary) },
    { from: 31, check: checkWith([...ordinary, 'container_engine_t']) },
  ],
}
