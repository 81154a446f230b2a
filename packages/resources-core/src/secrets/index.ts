import type { Secret } from '@keelson/api/core/v1'
import { fieldError, newFieldPath, newInvalid } from '@keelson/apimachinery'
import { countObjects, defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findTLSWarnings } from './tls-warnings.ts'
import { validateSecret, validateSecretUpdate } from './validate.ts'

const serviceAccountUid = 'kubernetes.io/service-account.uid'

export const secrets: ResourceDefinition<Secret> = defineResource<Secret>({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  setDefaults: setSecretDefaults,
  normalize: mergeStringData,
  quota: countObjects({ group: '', resource: 'secrets' }, 'secrets'),
  strategy: {
    // Merge here too, because objects of in-process callers are not decoded. The write-only `stringData` must never be stored.
    prepareForCreate: (_context, secret) => void mergeStringData(secret),
    prepareForExport(secret, exact) {
      // Without `exact`, the export of a token secret is rejected, because its token is bound to the UID of a service account.
      if (exact || (secret.type !== 'kubernetes.io/service-account-token' && !secret.metadata.annotations?.[serviceAccountUid])) return
      const error = fieldError.invalid(newFieldPath('type'), secret.type ?? '', 'can not export service account secrets')
      throw newInvalid({ group: '', kind: 'Secret' }, secret.metadata.name ?? '', [error])
    },
    validateCreate: (_context, secret) => validateSecret(secret),
    warningsOnCreate: (_context, secret) => findTLSWarnings(secret),
    prepareForUpdate(_context, secret, old) {
      mergeStringData(secret)
      if (!secret.type && old.type) secret.type = old.type
    },
    validateUpdate: (_context, secret, old) => validateSecretUpdate(secret, old),
    warningsOnUpdate: (_context, secret) => findTLSWarnings(secret),
  },
  selectableFields: { type: (secret) => secret.type ?? '' },
  columns: [
    { name: 'Type', description: 'Type of the data.', value: (secret) => secret.type ?? '' },
    { name: 'Data', description: 'Number of keys.', value: (secret) => Object.keys(secret.data ?? {}).length },
  ],
})

export function setSecretDefaults(secret: Secret): void {
  secret.type ||= 'Opaque'
}

/** Merges the write-only `stringData` into `data`. Mutates and returns the secret. */
export function mergeStringData(secret: Secret): Secret {
  const { stringData } = secret
  delete secret.stringData
  const entries = Object.entries(stringData ?? {})
  if (entries.length === 0) return secret
  secret.data = { ...secret.data }
  for (const [key, text] of entries) secret.data[key] = Buffer.from(text, 'utf8').toString('base64')
  return secret
}
