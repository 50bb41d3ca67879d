/** The newest posts of a channel with the names of who wrote them: the posts first, then one author after the other. */
export async function newestPosts(store, channel) {
  const posts = await store.query(
    'SELECT id, user_id, message FROM posts WHERE channel_id = ? ORDER BY id DESC LIMIT 20',
    [channel],
  );
  const named = [];
  for (const { id, user_id, message } of posts) {
    const [author] = await store.query('SELECT name FROM users WHERE id = ?', [user_id]);
    named.push({ id: Number(id), user: author.name, message });
  }
  return named;
}
