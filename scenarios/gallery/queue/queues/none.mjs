/** The mail is sent before the answer. */
export function open({ send }) {
  return { add: send, close() {} };
}
