import { appendAll } from '@keelson/apimachinery'
import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames, quoteItems, sortItems } from '../phrases.ts'
import { skipForWindows } from './relaxations.ts'

const check: CheckPod = ({ containers }) => {
  const added: string[] = []
  const keeping = containers.filter(({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'))
  const adding = containers.filter(({ securityContext }) => {
    const forbiddenCapabilities = (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE')
    appendAll(added, forbiddenCapabilities)
    return forbiddenCapabilities.length > 0
  })
  const details = [
    ...(keeping.length > 0 ? [`${formatContainerNames(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${formatContainerNames(adding)} must not include ${quoteItems(sortItems(added))} in securityContext.capabilities.add`]
      : []),
  ]
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') }
}

export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  versions: [
    { from: 22, check },
    { from: 25, check: skipForWindows(check) },
  ],
  overrides: ['capabilities_baseline'],
}
