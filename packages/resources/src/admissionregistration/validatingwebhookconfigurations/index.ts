import type { ValidatingWebhookConfiguration } from '@keelson/api/admissionregistration/v1'
import { defineResource, validateInSlices } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { createGenerationStrategy } from '../generation.ts'
import { setWebhookDefaults, validateWebhooks } from '../webhooks.ts'

export const validatingWebhookConfigurations: ResourceDefinition<ValidatingWebhookConfiguration> =
  defineResource<ValidatingWebhookConfiguration>({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    scope: 'Cluster',
    categories: ['api-extensions'],
    setDefaults({ webhooks = [] }) {
      setWebhookDefaults(webhooks)
    },
    strategy: {
      ...createGenerationStrategy<ValidatingWebhookConfiguration>('webhooks', [], { emptyIsChange: true }),
      runValidation: validateInSlices,
      validateCreate: (_context, { webhooks = [] }, steps) => validateWebhooks(webhooks, { steps }),
      validateUpdate: (_context, { webhooks = [] }, old, steps) => validateWebhooks(webhooks, { old: old.webhooks ?? [], steps }),
    },
    columns: [{ name: 'Webhooks', type: 'integer', description: 'Number of webhooks.', value: ({ webhooks = [] }) => webhooks.length }],
  })
