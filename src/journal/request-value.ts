/** A value in a request: text with placeholders, or JSON whose strings may hold placeholders. */
export type RequestValue =
  | string
  | number
  | boolean
  | null
  | readonly RequestValue[]
  | { readonly [key: string]: RequestValue };
