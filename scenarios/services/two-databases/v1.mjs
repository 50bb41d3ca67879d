/** The newest posts of a channel with the names of who wrote them: the posts first, then everybody in them. */
export async function newestPosts(store, channel) {
  const posts = await store.query(
    'SELECT id, user_id, message FROM posts WHERE channel_id = ? ORDER BY id DESC LIMIT 20',
    [channel],
  );
  const ids = [...new Set(posts.map(({ user_id }) => user_id))];
  if (ids.length === 0) return [];
  const users = await store.query(`SELECT id, name FROM users WHERE id IN (${ids.map(() => '?').join(', ')})`, ids);
  const names = new Map(users.map(({ id, name }) => [id, name]));
  return posts.map(({ id, user_id, message }) => ({ id: Number(id), user: names.get(user_id), message }));
}
