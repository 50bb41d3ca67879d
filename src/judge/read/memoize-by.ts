/** Works each answer out once, however often it is asked for. Questions with the same key have the same answer. */
export function memoizeBy<Question, Answer>(
  keyOf: (question: Question) => string,
  answer: (question: Question) => Answer,
): (question: Question) => Answer {
  const known = new Map<string, Answer>();
  return (question) => {
    const key = keyOf(question);
    const before = known.get(key);
    if (before !== undefined || known.has(key)) return before as Answer;
    const now = answer(question);
    known.set(key, now);
    return now;
  };
}
