import { formatFieldError, newFieldPath } from './field-error.ts'
import { expect, it } from 'vitest'
import { validateWebhookService } from './webhook-client-validation.ts'

it.each([
  [{ name: 'n', namespace: 'ns' }, []],
  // kube-apiserver swaps the paths of these two errors.
  [{ name: 'n', namespace: '' }, ['service.name: Required value']],
  [{ name: '', namespace: 'ns' }, ['service.namespace: Required value']],
])('validates the service %j with the errors %j', (service, messages) => {
  expect(validateWebhookService(service, newFieldPath('service')).map(formatFieldError)).toEqual(messages)
})
