import type { ServiceCIDR } from '@keelson/api/networking/v1'
import { formatTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

const name = 'kubernetes'
const fieldManager = 'kubernetes-service-cidr-controller'

type Condition = NonNullable<NonNullable<ServiceCIDR['status']>['conditions']>[number]

export interface DefaultServiceCIDROptions {
  /** CIDRs in order of preference; the first is the default family. */
  readonly cidrs: readonly string[]
  readonly now: () => number
  readonly log: (text: string) => void
}

/**
 * Creates the default ServiceCIDR from the flags, and extends it to dual-stack if the flags have a second family now. Otherwise leaves it
 * unchanged. Sets its Ready condition if the CIDRs equal those of the flags and nobody else has set it.
 */
export async function syncDefaultServiceCIDR(client: LoopbackClient, options: DefaultServiceCIDROptions): Promise<void> {
  const resource = client.resource<ServiceCIDR>({ group: 'networking.k8s.io', resource: 'servicecidrs' })
  if (resource === undefined) return
  const { cidrs, log } = options
  await createIfAbsent(resource, '', { metadata: { name }, spec: { cidrs: [...cidrs] } })
  let current = await resource.get('', name, { resourceVersion: '' })
  if (cidrs.length === 2 && current?.spec?.cidrs?.length === 1 && current.spec.cidrs[0] === cidrs[0]) {
    current = (await resource.update('', name, (cidr) => ({ ...cidr, spec: { cidrs: [...cidrs] } }))).object()
  }
  if (current === undefined || current.metadata.deletionTimestamp !== undefined) return
  if (JSON.stringify(current.spec?.cidrs) !== JSON.stringify(cidrs)) {
    return log(`the default ServiceCIDR ${JSON.stringify(current.spec?.cidrs)} differs from the one in the flags, ${JSON.stringify(cidrs)}`)
  }
  await setReady(resource, current, options)
}

async function setReady(
  resource: LoopbackResource<ServiceCIDR>,
  current: DeepReadonly<ServiceCIDR>,
  options: DefaultServiceCIDROptions,
): Promise<void> {
  const ready = current.status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status === 'True') return
  if (ready?.status === 'False') return options.log(`the default ServiceCIDR is not ready: ${ready.message}`)
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(options.now()),
    message: 'Kubernetes default Service CIDR is ready',
  }
  // Server-side apply: fields that are omitted from the condition are not owned by us.
  const config = { metadata: { name }, status: { conditions: [condition as Condition] } }
  await resource.apply('', config, { fieldManager, subresource: 'status' })
}
