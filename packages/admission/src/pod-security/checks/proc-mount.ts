import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames, quoteItems, sortItems } from '../phrases.ts'
import { skipForUserNamespace } from './relaxations.ts'

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')
  if (violating.length === 0) return undefined
  const types = sortItems(violating.map(({ securityContext }) => securityContext!.procMount!))
  return {
    reason: 'procMount',
    detail: `${formatContainerNames(violating)} must not set securityContext.procMount to ${quoteItems(types)}`,
  }
}

export const procMountBaseline: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    { from: 0, check },
    { from: 35, check: skipForUserNamespace(check) },
  ],
}

/** Restricted check of procMount. It exists because the baseline check allows more for pods in user namespaces. */
export const procMountRestricted: Check = {
  id: 'procMount_restricted',
  level: 'restricted',
  versions: [{ from: 35, check }],
  overrides: ['procMount'],
}
