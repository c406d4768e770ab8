#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Values of macros that Swift cannot import.

static const long vitrine_curl_auth_basic = CURLAUTH_BASIC;
static const long vitrine_curl_auth_digest = CURLAUTH_DIGEST;

// curl_multi_socket_all is deprecated, but curl_multi_socket_action processes only the transfers that have an event.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline CURLMcode vitrine_curl_multi_act_on_all(CURLM *multi, int *running) {
  return curl_multi_socket_all(multi, running);
}
#pragma GCC diagnostic pop

// Typed wrappers of variadic functions, which Swift cannot call. They contain no logic.

static inline CURLcode vitrine_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_set_prereq(CURL *easy, CURLoption option, curl_prereq_callback value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode vitrine_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode vitrine_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode vitrine_curl_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode vitrine_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLSHcode vitrine_curl_share_set_long(CURLSH *share, CURLSHoption option, int value) {
  return curl_share_setopt(share, option, value);
}

static inline CURLSHcode vitrine_curl_share_set_pointer(CURLSH *share, CURLSHoption option, void *value) {
  return curl_share_setopt(share, option, value);
}

static inline CURLSHcode vitrine_curl_share_set_lock(
    CURLSH *share, CURLSHoption option, curl_lock_function value) {
  return curl_share_setopt(share, option, value);
}

static inline CURLSHcode vitrine_curl_share_set_unlock(
    CURLSH *share, CURLSHoption option, curl_unlock_function value) {
  return curl_share_setopt(share, option, value);
}

static inline CURLMcode vitrine_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode vitrine_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode vitrine_curl_multi_set_socket(
    CURLM *multi, CURLMoption option, curl_socket_callback value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode vitrine_curl_multi_set_timer(
    CURLM *multi, CURLMoption option, curl_multi_timer_callback value) {
  return curl_multi_setopt(multi, option, value);
}
