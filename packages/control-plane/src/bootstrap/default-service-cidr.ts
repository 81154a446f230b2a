import type { ServiceCIDR } from '@keelson/api/networking/v1'
import { formatTime } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import { createIfAbsent } from './create-if-absent.ts'

const name = 'kubernetes'
const fieldManager = 'kubernetes-service-cidr-controller'

type Condition = NonNullable<NonNullable<ServiceCIDR['status']>['conditions']>[number]

export interface DefaultServiceCIDROptions {
  /** CIDRs from the flags, in order of preference. The first one is of the default IP family. */
  readonly cidrs: readonly string[]
  readonly now: () => number
  readonly log: (text: string) => void
}

/**
 * Creates the default ServiceCIDR from the flags. If it exists with one family and the flags now have two, adds the second family; any
 * other difference is only reported. Sets its Ready condition if the CIDRs equal those of the flags and no other component has set the
 * condition.
 */
export async function syncDefaultServiceCIDR(client: LoopbackClient, options: DefaultServiceCIDROptions): Promise<void> {
  const resource = client.resource<ServiceCIDR>({ group: 'networking.k8s.io', resource: 'servicecidrs' })
  if (resource === undefined) return
  const { cidrs, log } = options
  await createIfAbsent(resource, '', { metadata: { name }, spec: { cidrs: [...cidrs] } })
  let current = await resource.get('', name, { resourceVersion: '' })
  if (cidrs.length === 2 && current?.spec?.cidrs?.length === 1 && current.spec.cidrs[0] === cidrs[0]) {
    current = (await resource.update('', name, (cidr) => ({ ...cidr, spec: { cidrs: [...cidrs] } }))).getObject()
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
  // With server-side apply, this server owns only the fields of the condition that it sends.
  const config = { metadata: { name }, status: { conditions: [condition as Condition] } }
  await resource.apply('', config, { fieldManager, subresource: 'status' })
}
