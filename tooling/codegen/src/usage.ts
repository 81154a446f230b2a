import type { Model, Module } from './model.ts'

/** Information about which messages need a codec, and which generated files import it. */
export interface Usage {
  /** Returns whether a kind contains the message, directly or indirectly. */
  isReached(module: Module, name: string): boolean
  isExported(module: Module, name: string): boolean
}

export function findUsage(model: Model): Usage {
  const reached = new Set<string>()
  const exported = new Set<string>()
  const visit = (module: Module, name: string): void => {
    const key = `${module.folder} ${name}`
    if (reached.has(key)) return
    reached.add(key)
    for (const field of Object.values(module.facts.messages[name]!.fields)) {
      const type = model.resolveType(module, field)
      if (type.kind !== 'message') continue
      if (type.module !== module) exported.add(`${type.module.folder} ${type.name}`)
      visit(type.module, type.name)
    }
  }
  for (const module of model.modules) {
    for (const [name, message] of Object.entries(module.facts.messages)) {
      if (!message.kind) continue
      exported.add(`${module.folder} ${name}`)
      visit(module, name)
    }
  }
  return {
    isReached: (module, name) => reached.has(`${module.folder} ${name}`),
    isExported: (module, name) => exported.has(`${module.folder} ${name}`),
  }
}
