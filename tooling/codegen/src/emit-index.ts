import type { Module } from './model.ts'
import { banner } from './model.ts'

/** Generates `index.ts` of one group version, which the package exports as a subpath. */
export function emitIndex(module: Module): string {
  const kinds = Object.entries(module.facts.messages).filter(([, message]) => message.kind)
  const { group, version } = module.facts
  return [
    banner,
    `import { kindCodec, kindTypes } from '../../../kind-types.ts'\n`,
    `import type { GroupVersionTypes } from '../../../kind-type.ts'\n`,
    kinds.length > 0 ? `import * as codec from './codec.ts'\n` : '',
    `import { ${module.ident}Schema } from './schema.ts'\n\n`,
    `export type * from './types.ts'\n`,
    `export const ${module.ident}: GroupVersionTypes = kindTypes({ group: '${group}', version: '${version}' }, ${module.ident}Schema, [\n`,
    ...kinds.map(([name]) => `  kindCodec('${name}', codec.write${name}, codec.read${name}),\n`),
    '])\n',
  ].join('')
}
