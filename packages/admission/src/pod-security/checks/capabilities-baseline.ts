import { appendAll } from '@keelson/apimachinery'
import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames, quoteItems, sortItems } from '../phrases.ts'

/** Default capabilities of container runtimes, except NET_RAW. */
const defaults: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

const check: CheckPod = ({ containers }) => {
  const added: string[] = []
  const violating = containers.filter(({ securityContext }) => {
    const forbiddenCapabilities = (securityContext?.capabilities?.add ?? []).filter((capability) => !defaults.has(capability))
    appendAll(added, forbiddenCapabilities)
    return forbiddenCapabilities.length > 0
  })
  if (violating.length === 0) return undefined
  return {
    reason: 'non-default capabilities',
    detail: `${formatContainerNames(violating)} must not include ${quoteItems(sortItems(added))} in securityContext.capabilities.add`,
  }
}

export const capabilitiesBaseline: Check = { id: 'capabilities_baseline', level: 'baseline', versions: [{ from: 0, check }] }
