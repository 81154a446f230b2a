import type { ServiceCIDR } from '@keelson/api/networking/v1'
import { formatTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

const name = 'kubernetes'
const fieldManager = 'kubernetes-service-cidr-controller'

type Condition = NonNullable<NonNullable<ServiceCIDR['status']>['conditions']>[number]

export interface DefaultServiceCIDROptions {
  /** In order of preference; the first is the family that services get when they do not say. */
  readonly cidrs: readonly string[]
  readonly now: () => number
  readonly log: (text: string) => void
}

/**
 * The range that the flags give, as an object: made when there is none, joined by a second family when the flags have one now, and else left
 * as it is. It gives addresses as long as it says what the flags say; what others say of its readiness stands.
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
    return log(`the default ServiceCIDR ${JSON.stringify(current.spec?.cidrs)} is not that of the flags, ${JSON.stringify(cidrs)}`)
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
  // Of a condition that is applied, what is left out is not ours.
  const config = { metadata: { name }, status: { conditions: [condition as Condition] } }
  await resource.apply('', config, { fieldManager, subresource: 'status' })
}
