import type { Secret } from '@keelson/api/core/v1'

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
