export { createMutatingAdmissionWebhookPlugin } from './mutating-admission-webhook.ts'
export { createValidatingAdmissionWebhookPlugin } from './validating-admission-webhook.ts'
