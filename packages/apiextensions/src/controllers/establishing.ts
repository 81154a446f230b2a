import { X509Certificate } from 'node:crypto'
import type { CustomResourceDefinition } from '@keelson/api/apiextensions/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { WorkQueue } from '@keelson/loopback'
import { isConditionTrue, setCondition } from '../definitions/conditions.ts'
import type { ConditionState } from '../definitions/conditions.ts'
import { createDefinitionQueue, updateStatus } from './controller.ts'
import type { DefinitionContext } from './controller.ts'

const established: ConditionState = { status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
const invalidBundle: ConditionState = {
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
}

/**
 * Starts the controller that sets Established on definitions with accepted names. At that time, this server already serves them. `delayMs`
 * gives other servers of the same store time to do so.
 */
export function startEstablishing(context: DefinitionContext, { delayMs }: { readonly delayMs: number }): WorkQueue {
  const { index, clock } = context
  const queue = createDefinitionQueue(context, {
    name: 'crdEstablishing',
    async sync(name) {
      const followed = index.get(name)
      if (followed === undefined || !isAwaitingEstablishing(followed.outline)) return
      await updateStatus(context, name, (definition) => {
        if (!isAwaitingEstablishing(definition)) return
        setCondition(definition, 'Established', hasInvalidBundle(definition) ? invalidBundle : established, clock.now())
      })
    },
  })
  index.subscribe(({ name, definition }) => {
    if (definition === undefined || !isAwaitingEstablishing(definition.outline)) return
    if (delayMs > 0) queue.addAfter(name, delayMs)
    else queue.add(name)
  })
  return queue
}

function isAwaitingEstablishing(definition: DeepReadonly<CustomResourceDefinition>): boolean {
  return isConditionTrue(definition, 'NamesAccepted') && !isConditionTrue(definition, 'Established')
}

/** Returns whether the bundle of the conversion webhook has no certificate that can be parsed. An empty bundle is valid. */
function hasInvalidBundle({ spec }: DeepReadonly<CustomResourceDefinition>): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle ?? ''
  if (bundle === '') return false
  const certificates = Buffer.from(bundle, 'base64')
    .toString('latin1')
    .matchAll(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g)
  return !Array.from(certificates, ([pem]) => pem).some(canParse)
}

function canParse(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
