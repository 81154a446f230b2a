import type { GroupVersion, Scheme } from '@keelson/apimachinery'
import type { AdmissionChain, RESTStorage } from '@keelson/registry'
import type { ApiTypes } from '@keelson/api'

/** One API group to install: "" goes under /api, the rest under /apis/GROUP. */
export interface APIGroupInfo {
  readonly group: string
  /** In order of preference. */
  readonly versions: readonly GroupVersion[]
  /** version → path ("pods", "pods/status") → storage. */
  readonly storage: ReadonlyMap<string, ReadonlyMap<string, RESTStorage>>
  readonly scheme: Scheme
  readonly types: ApiTypes
  readonly admission: AdmissionChain
}
