import type { AdmissionAttributes, AdmissionChain, AdmissionOperation, AdmissionPlugin } from './admission.ts'

const writes: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE']

/** Plugins in the order given: every `admit` first, then every `validate`. The first refusal ends it. Disposing disposes plugins that hold something. */
export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain & AsyncDisposable {
  const handles = (plugin: AdmissionPlugin, operation: AdmissionOperation): boolean => (plugin.operations ?? writes).includes(operation)
  return {
    handles: (operation) => plugins.some((plugin) => handles(plugin, operation)),
    async admit(attributes: AdmissionAttributes) {
      for (const plugin of plugins) if (handles(plugin, attributes.operation)) await plugin.admit?.(attributes)
    },
    async validate(attributes: AdmissionAttributes) {
      for (const plugin of plugins) if (handles(plugin, attributes.operation)) await plugin.validate?.(attributes)
    },
    async [Symbol.asyncDispose]() {
      for (const plugin of plugins.toReversed()) {
        if (isAsyncDisposable(plugin)) await plugin[Symbol.asyncDispose]()
      }
    },
  }
}

function isAsyncDisposable(value: object): value is AsyncDisposable {
  return Symbol.asyncDispose in value
}
