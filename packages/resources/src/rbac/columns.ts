import type { Subject } from '@keelson/api/rbac/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Column } from '@keelson/registry'
import type { Binding } from './bindings.ts'

export const bindingColumns: readonly Column<Binding>[] = [
  { name: 'Role', description: 'The role that is bound.', value: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  { name: 'Users', priority: 1, description: 'The users it is bound to.', value: ({ subjects }) => names(subjects, 'User') },
  { name: 'Groups', priority: 1, description: 'The groups it is bound to.', value: ({ subjects }) => names(subjects, 'Group') },
  {
    name: 'ServiceAccounts',
    priority: 1,
    description: 'The service accounts it is bound to.',
    value: ({ subjects }) => names(subjects, 'ServiceAccount'),
  },
]

function names(subjects: readonly DeepReadonly<Subject>[] = [], wanted: string): string {
  const chosen = subjects.filter(({ kind }) => kind === wanted)
  return chosen.map(({ name, namespace = '' }) => (wanted === 'ServiceAccount' ? `${namespace}/${name}` : name)).join(', ')
}
