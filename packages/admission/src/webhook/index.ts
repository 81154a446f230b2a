export { mutatingAdmissionWebhook } from './mutating-admission-webhook.ts'
export { validatingAdmissionWebhook } from './validating-admission-webhook.ts'
