import { admissionregistrationV1 } from '@keelson/api/admissionregistration/v1'
import type { ValidatingWebhookConfiguration } from '@keelson/api/admissionregistration/v1'
import { decodeStruct } from '@keelson/apimachinery'
import type { JsonObject, RequestContext } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { validatingWebhookConfigurations } from './validatingwebhookconfigurations/index.ts'

const { schema } = admissionregistrationV1.kinds.find(({ gvk }) => gvk.kind === 'ValidatingWebhookConfiguration')!

function computeGenerationAfter(webhooks: JsonObject[], stored: JsonObject[]): number | undefined {
  const read = (sent: JsonObject[]): ValidatingWebhookConfiguration =>
    decodeStruct<ValidatingWebhookConfiguration>(schema, { metadata: { name: 'w', generation: 1 }, webhooks: sent }).object
  const object = read(webhooks)
  validatingWebhookConfigurations.strategy.prepareForUpdate?.({} as RequestContext, object, read(stored))
  return object.metadata.generation
}

it('counts an empty list in a webhook as a change each time, because storage drops it', () => {
  expect(computeGenerationAfter([{ name: 'a' }], [{ name: 'a' }])).toBe(1)
  expect(computeGenerationAfter([{ name: 'a', rules: [] }], [{ name: 'a' }])).toBe(2)
})
